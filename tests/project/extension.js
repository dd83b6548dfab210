// SPDX-License-Identifier: Apache-2.0
// The extension of editors/vscode in an editor made of a few objects, with the real command.
'use strict';
const assert = require('assert');
const { spawnSync } = require('child_process');
const fs = require('fs');
const Module = require('module');
const path = require('path');

const folder = path.join(process.env.SAMITE_SOURCE, 'editors', 'vscode');

class Position {
    constructor(line, character) { Object.assign(this, { line, character }); }
}

class Document {
    constructor(languageId, text) {
        Object.assign(this, { languageId, text, version: 1, isClosed: false, uri: { scheme: 'untitled' } });
        this.lines = text.split('\n');
        this.lineCount = this.lines.length;
    }
    getText(range) { return range ? this.lines[range.line].slice(range.from, range.to) : this.text; }
    lineAt(line) { return { lineNumber: line, range: { line, from: 0, to: this.lines[line].length } }; }
    getWordRangeAtPosition({ line, character }, word) {
        for (const m of this.lines[line].matchAll(new RegExp(word, 'g')))
            if (m.index <= character && character <= m.index + m[0].length)
                return { line, from: m.index, to: m.index + m[0].length };
        return undefined;
    }
    positionAt(offset) {
        const before = this.text.slice(0, offset).split('\n');
        return new Position(before.length - 1, before[before.length - 1].length);
    }
}

const assembly = new Document('samite-asm', 'k:  addd x1, x2\n  vblt v1, v2, k\n');
const tile = new Document('pto', '%d = pto.tcolminn %s : !pto.tile<vec, 16x16xf32> -> '
    + '!pto.tile<vec, 1x16xf32>\n// tcolmin %d\n');
const opencl = new Document('opencl', 'kernel void k(global int *x)\n{ *x = y; }\n');
const diagnostics = new Map(), providers = {};
const register = (kind) => (selector, provider) => {
    providers[kind + selector] = provider;
    return {};
};
const vscode = {
    Position,
    Diagnostic: class { constructor(range, text, severity) { Object.assign(this, { range, text, severity }); } },
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 },
    DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, { command, args }); } },
    Hover: class { constructor(text) { this.text = text; } },
    MarkdownString: class { appendCodeblock(text) { return text; } },
    Location: class { constructor(uri, position) { Object.assign(this, { uri, position }); } },
    debug: { registerDebugAdapterDescriptorFactory: register('adapter') },
    languages: {
        createDiagnosticCollection: () => diagnostics,
        registerHoverProvider: register('hover'),
        registerDefinitionProvider: register('definition'),
    },
    workspace: {
        textDocuments: [assembly, tile, opencl],
        getConfiguration: () => ({
            get: (name) => ({ command: process.env.SAMITE, isa: 'ventus', check: true })[name],
        }),
        onDidOpenTextDocument: () => ({}),
        onDidChangeTextDocument: () => ({}),
        onDidCloseTextDocument: () => ({}),
    },
};

// The expressions of a grammar, by scope.
function expressions(file) {
    const grammar = JSON.parse(fs.readFileSync(path.join(folder, file)));
    return new Map(grammar.patterns.filter((p) => p.match).map((p) => [p.name, new RegExp(p.match, 'g')]));
}

function matches(grammar, scope, text) {
    return [...text.matchAll(grammar.get(scope))].map((m) => m[0].trim());
}

async function main() {
    const load = Module._load;
    Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest);
    require(path.join(folder, 'extension.js')).activate({ subscriptions: [] });

    const adapter = providers.adaptersamite.createDebugAdapterDescriptor();
    assert.deepStrictEqual(adapter.args, ['debug', '--dap']);
    for (let i = 0; i < 300 && diagnostics.size < 3; i++)
        await new Promise((resolve) => setTimeout(resolve, 100));
    const of = (document) => diagnostics.get(document.uri)[0];
    assert.match(of(assembly).text, /unknown instruction 'addd'/);
    assert.deepStrictEqual(of(assembly).range, { line: 0, from: 4, to: 8 });
    assert.match(of(tile).text, /unknown operation 'pto.tcolminn'/);
    if (spawnSync(process.env.SAMITE_CLANG || 'clang', ['--version']).status === 0) {
        assert.match(of(opencl).text, /undeclared identifier 'y'/);
        assert.deepStrictEqual(of(opencl).range, { line: 1, from: 7, to: 8 });
    }

    const hover = (provider, document, line, character) =>
        provider.provideHover(document, new Position(line, character));
    assert.match((await hover(providers['hoversamite-asm'], assembly, 1, 3)).text, /^vblt vs2, vs1/);
    assert.strictEqual(await hover(providers['hoversamite-asm'], assembly, 0, 0), null);
    assert.match((await hover(providers.hoverpto, tile, 1, 5)).text, /^tcolmin t: d\[0,j\] = min/);
    const define = (document, line, character) => providers['definitionsamite-asm,pto']
        .provideDefinition(document, new Position(line, character)).position;
    assert.deepStrictEqual(define(assembly, 1, 15), new Position(0, 0));
    assert.deepStrictEqual(define(tile, 1, 12), new Position(0, 0));

    const asm = expressions('syntaxes/samite-asm.tmLanguage.json');
    assert.deepStrictEqual(matches(asm, 'keyword.mnemonic', 'add: vadd.vx v1, add.x, add'), ['add', 'vadd.vx', 'add']);
    assert.deepStrictEqual(matches(asm, 'variable.language.register', 'x63 x64 v255 v256 tl31 tl32 a0 a8 t6'),
        ['x63', 'v255', 'tl31', 'a0', 't6']);
    const pto = expressions('syntaxes/pto.tmLanguage.json');
    assert.deepStrictEqual(matches(pto, 'storage.type', '!pto.tile<vec, 16x16xf32> i32'), ['!pto.tile', '16x16xf32', 'i32']);
    assert.deepStrictEqual(matches(pto, 'keyword.operation', '%tadd = pto.tadd %a'), ['pto.tadd']);

    const { contributes, main: entry } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')));
    for (const file of [entry, ...contributes.grammars.map((g) => g.path),
        ...contributes.languages.map((l) => l.configuration)])
        assert.ok(fs.existsSync(path.join(folder, file)), file);
    const problem = new RegExp(contributes.problemMatchers[0].pattern.regexp);
    assert.deepStrictEqual('a.s:2:4: error: no'.match(problem).slice(1), ['a.s', '2', '4', 'error', 'no']);
    assert.deepStrictEqual('a.s:2: warning: no'.match(problem).slice(1), ['a.s', '2', undefined, 'warning', 'no']);
}

main().catch((error) => {
    console.log(error.message);
    process.exit(1);
});
