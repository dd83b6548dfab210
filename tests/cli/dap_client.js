// SPDX-License-Identifier: Apache-2.0
// `samite debug --dap` with the client that Visual Studio Code's adapters are tested with: npm's
// @vscode/debugadapter-testsupport, found through NODE_PATH; without it, the test is skipped. TAP.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

let DebugClient;
try {
    DebugClient = require('@vscode/debugadapter-testsupport').DebugClient;
} catch (error) {
    console.log('1..0 # SKIP npm install @vscode/debugadapter-testsupport, and NODE_PATH to it');
    process.exit(0);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'samite-dap-'));
const program = path.join(folder, 'k.s');
fs.writeFileSync(program, [
    '.globl k',
    'k:     lw a1, 0(a0)',
    '       li t0, 3',
    'again: addi t0, t0, -1',
    '       sw t0, 0(a1)',
    '       bnez t0, again',
    '       ret', ''].join('\n'));
const launch = {
    program, cwd: folder,
    args: ['--kernel', 'k', '--grid', '1', '--block', '32', '--arg', 'out:u32:1:out.npy'],
};

function start() {
    const client = new DebugClient(process.env.SAMITE, 'debug --dap', 'samite', { shell: true });
    client.defaultTimeout = 60000;
    return client.start().then(() => client);
}

function same(found, expected) {
    if (found !== expected)
        throw new Error(`${found} is not ${expected}`);
}

const cases = {
    async 'runs to the end'(client) {
        await Promise.all([
            client.configurationSequence(), client.launch(launch), client.waitForEvent('terminated')]);
        same(fs.existsSync(path.join(folder, 'out.npy')), true);
    },
    async 'stops on entry'(client) {
        await Promise.all([
            client.configurationSequence(), client.launch({ ...launch, stopOnEntry: true }),
            client.waitForEvent('stopped')]);
        same((await client.threadsRequest()).body.threads[0].name, 'workgroup 0 warp 0 (32 of 32 lanes)');
    },
    async 'hits a breakpoint, and looks around'(client) {
        await client.hitBreakpoint(launch, { path: program, line: 5 });
        const frames = (await client.stackTraceRequest({ threadId: 1 })).body.stackFrames;
        same(frames[0].source.path, fs.realpathSync(program));
        const scopes = (await client.scopesRequest({ frameId: frames[0].id })).body.scopes;
        const scalars = scopes.find((scope) => scope.name === 'Scalar registers');
        const rows = (await client.variablesRequest(
            { variablesReference: scalars.variablesReference })).body.variables;
        same(rows.find((row) => row.name === 'x5 t0').value, '2');
        const t0 = { expression: 't0', frameId: frames[0].id, context: 'hover' };
        same((await client.evaluateRequest(t0)).body.result, '2');
    },
    async 'goes back'(client) {
        await client.hitBreakpoint(launch, { path: program, line: 5 });
        await Promise.all([
            client.send('stepBack', { threadId: 1 }), client.assertStoppedLocation('step', { line: 4 })]);
        await Promise.all([
            client.continueRequest({ threadId: 1 }),
            client.assertStoppedLocation('breakpoint', { line: 5 })]);
        await Promise.all([
            client.continueRequest({ threadId: 1 }),
            client.assertStoppedLocation('breakpoint', { line: 5 })]);
        await Promise.all([
            client.send('reverseContinue', { threadId: 1 }),
            client.assertStoppedLocation('breakpoint', { line: 5 })]);
        same((await client.evaluateRequest({ expression: 't0' })).body.result, '2');
    },
    async 'reports what cannot be launched'(client) {
        await client.initializeRequest();
        const failure = await client.launchRequest({ program: 'none.s' }).then(() => null, (e) => e);
        same(/none\.s/.test(failure && failure.message), true);
    },
};

(async () => {
    let number = 0, failed = false;
    console.log(`1..${Object.keys(cases).length}`);
    for (const [name, run] of Object.entries(cases)) {
        const client = await start();
        let result = 'ok';
        try {
            await run(client);
        } catch (error) {
            console.log(`# ${error.message}`);
            result = 'not ok';
            failed = true;
        }
        await client.stop(); // disconnects
        console.log(`${result} ${++number} - ${name}`);
    }
    fs.rmSync(folder, { recursive: true });
    process.exit(failed ? 1 : 0);
})();
