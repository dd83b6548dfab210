// SPDX-License-Identifier: Apache-2.0
// Samite in Visual Studio Code: the debug adapter is `samite debug --dap`; checks, hovers and labels
// of assembly, tile programs and OpenCL C come from `samite asm`, `tile check`, `cc`, `isa` and `tile ops`.
'use strict';
const { execFile } = require('child_process');
const path = require('path');
const vscode = require('vscode');

const LANGUAGES = ['samite-asm', 'pto'];
const DELAY = 300; // milliseconds without typing before a check

const setting = (name) => vscode.workspace.getConfiguration('samite').get(name);

// Run the command on a text; resolves to its standard output, or standard error, whatever the exit code.
function samite(words, text, folder, errors) {
    return new Promise((resolve) => {
        const options = { cwd: folder, timeout: 10000, maxBuffer: 1 << 24 };
        const child = execFile(setting('command'), words, options, (error, out, err) => resolve((errors ? err : out) || ''));
        child.stdin.on('error', () => {});
        child.stdin.end(text || '');
    });
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch (error) {
        return null;
    }
}

const folderOf = (document) =>
    document.uri.scheme === 'file' ? path.dirname(document.uri.fsPath) : undefined;

// The messages of a check as diagnostics; lines and columns count from 1.
function diagnosticsOf(document, result) {
    const rows = Array.isArray(result) ? result : [result];
    return rows.flatMap((row) => (row && row.messages) || []).filter((m) => m.line > 0).map((m) => {
        const line = document.lineAt(Math.min(m.line, document.lineCount) - 1);
        const start = new vscode.Position(line.lineNumber, Math.max(0, (m.column || 1) - 1));
        const range = document.getWordRangeAtPosition(start, /[\w.%@$]+/) || line.range;
        const severities = vscode.DiagnosticSeverity;
        const severity = m.severity === 'error' ? severities.Error
            : m.severity === 'warning' ? severities.Warning : severities.Information;
        return new vscode.Diagnostic(range, m.text, severity);
    });
}

// clang's messages, and those of the compiler itself, which have no column.
async function checkOpenCL(document) {
    const said = await samite(['cc', '-S', '-', '-o', '-'], document.getText(), folderOf(document), true);
    const found = said.matchAll(/^(?:samite: error: )?<stdin>:(\d+):(?:(\d+): (?:fatal )?(error|warning|note):)? (.*)$/gm);
    return { messages: Array.from(found, ([, line, column, severity, text]) =>
        ({ line: Number(line), column: Number(column), severity: severity || 'error', text })) };
}

function checks(context) {
    const shown = vscode.languages.createDiagnosticCollection('samite');
    const timers = new Map();
    async function check(document) {
        const words = document.languageId === 'pto' ? ['tile', 'check', '--json', '-']
            : ['asm', '--json', '--isa', setting('isa'), '-'];
        const version = document.version;
        const result = document.languageId === 'opencl' ? await checkOpenCL(document)
            : parsed(await samite(words, document.getText(), folderOf(document)));
        if (!document.isClosed && document.version === version)
            shown.set(document.uri, result ? diagnosticsOf(document, result) : []);
    }
    function later(document) {
        if (![...LANGUAGES, 'opencl'].includes(document.languageId) || !setting('check'))
            return;
        clearTimeout(timers.get(document));
        timers.set(document, setTimeout(() => {
            timers.delete(document);
            check(document);
        }, DELAY));
    }
    vscode.workspace.textDocuments.forEach(later);
    context.subscriptions.push(shown, vscode.workspace.onDidOpenTextDocument(later),
        vscode.workspace.onDidChangeTextDocument((change) => later(change.document)),
        vscode.workspace.onDidCloseTextDocument((document) => shown.delete(document.uri)));
}

const asCode = (text) => new vscode.Hover(new vscode.MarkdownString().appendCodeblock(text, 'text'));

// What `samite isa NAME` says of the word.
async function hoverAssembly(document, position) {
    const range = document.getWordRangeAtPosition(position, /[A-Za-z][\w.]*/);
    const text = range && await samite(['isa', '--isa', setting('isa'), document.getText(range)]);
    return text ? asCode(text.trimEnd()) : null;
}

let operations; // of `samite tile ops`, by name

async function hoverTile(document, position) {
    const range = document.getWordRangeAtPosition(position, /(?:pto\.)?\w+/);
    operations = operations || samite(['tile', 'ops', '--json']).then(
        (text) => new Map((parsed(text) || []).map((row) => [row.name, row])));
    const row = range && (await operations).get(document.getText(range).replace(/^pto\./, ''));
    return row ? asCode(`${row.name} ${row.sources}: ${row.meaning}\n${row.dtypes}`) : null;
}

// The line that defines a label of assembly, or a value or function of a tile program.
function definition(document, position) {
    const assembly = document.languageId === 'samite-asm';
    const range = document.getWordRangeAtPosition(position, assembly ? /[\w.$]+/ : /[%@][\w$.]+/);
    if (!range)
        return null;
    const name = document.getText(range).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const found = document.getText().match(assembly ? new RegExp(`^[ \\t]*${name}[ \\t]*:`, 'm')
        : new RegExp(`(?:^[ \\t]*${name}\\b[^=\\n]*=|[(,][ \\t]*${name}[ \\t]*:|func\\.func[ \\t]+${name}\\b)`, 'm'));
    return found && new vscode.Location(document.uri, document.positionAt(found.index));
}

function activate(context) {
    const adapter = { createDebugAdapterDescriptor: () =>
        new vscode.DebugAdapterExecutable(setting('command'), ['debug', '--dap']) };
    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory('samite', adapter),
        vscode.languages.registerHoverProvider('samite-asm', { provideHover: hoverAssembly }),
        vscode.languages.registerHoverProvider('pto', { provideHover: hoverTile }),
        vscode.languages.registerDefinitionProvider(LANGUAGES, { provideDefinition: definition }));
    checks(context);
}

module.exports = { activate };
