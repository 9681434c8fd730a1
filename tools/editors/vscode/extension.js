// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts graphc-lsp for texts, and starts it again when its settings change.
const path = require('path');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

// The command of the server; a relative path with a folder starts at the workspace folder.
function serverCommand(settings) {
  const command = settings.get('serverPath') || 'graphc-lsp';
  const folders = vscode.workspace.workspaceFolders;
  if (path.isAbsolute(command) || path.basename(command) === command || !folders)
    return command;
  return path.join(folders[0].uri.fsPath, command);
}

async function start() {
  const settings = vscode.workspace.getConfiguration('graphc');
  const command = serverCommand(settings);
  client = new LanguageClient(
    'graphc', 'graphc', { command }, {
      documentSelector: [{ language: 'graphc' }],
      initializationOptions: {
        batch: settings.get('batch'),
        devices: settings.get('devices'),
        define: settings.get('define'),
      },
    });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `graphc: '${command}' does not start (${error.message}); put the path of ` +
      "graphc-lsp into the setting 'graphc.serverPath'");
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running)
    await running.stop();
}

async function activate(context) {
  // Changes of settings wait for each other.
  let last = start();
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('graphc'))
      last = last.then(stop).then(start);
  }));
  await last;
}

module.exports = { activate, deactivate: stop };
