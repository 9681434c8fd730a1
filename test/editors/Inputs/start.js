// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs extension.js with stand-ins for VS Code and its language client, and prints what
// they are asked for.
const Module = require('module');

const settings = { serverPath: 'build/bin/graphc-lsp', batch: 32, devices: 'cpu:0,cpu:1' };
let changed;
let fails = false;

class LanguageClient {
  constructor(id, name, server, options) {
    this.command = server.command;
    console.log(`client ${id}: ${JSON.stringify(server)} ${JSON.stringify(options)}`);
  }
  async start() {
    if (fails)
      throw new Error('spawn ENOENT');
    console.log(`start ${this.command}`);
  }
  async stop() { console.log(`stop ${this.command}`); }
}

const stand = {
  vscode: {
    workspace: {
      workspaceFolders: [{ uri: { fsPath: '/project' } }],
      getConfiguration: (section) => ({
        get: (name) => section === 'graphc' ? settings[name] : undefined,
      }),
      onDidChangeConfiguration: (call) => { changed = call; return { dispose() {} }; },
    },
    window: { showErrorMessage: (text) => console.log(`error ${text}`) },
  },
  'vscode-languageclient/node': { LanguageClient },
};
const load = Module._load;
Module._load = (name, ...rest) => stand[name] || load(name, ...rest);

const settle = () => new Promise((done) => setTimeout(done, 10));

async function main() {
  const extension = require(process.argv[2]);
  const context = { subscriptions: [] };
  await extension.activate(context);
  console.log(`subscriptions ${context.subscriptions.length}`);
  changed({ affectsConfiguration: (section) => section === 'editor' });
  settings.serverPath = 'graphc-lsp';
  settings.batch = null;
  changed({ affectsConfiguration: (section) => section === 'graphc' });
  await settle();
  fails = true;
  settings.serverPath = '/absent/graphc-lsp';
  changed({ affectsConfiguration: (section) => section === 'graphc' });
  await settle();
  await extension.deactivate();
  console.log('end');
}

main();
