// The generated files of the clients, by their paths in the repository.
import { type Document, operationsOf } from './document.ts';
import { nodeTable, nodeTypes } from './node.ts';
import { pythonModule } from './python.ts';

export const generatedFiles = (document: Document): Readonly<Record<string, string>> => {
  const operations = operationsOf(document);
  return {
    'clients/node/operations.js': nodeTable(document, operations),
    'clients/node/operations.d.ts': nodeTypes(document, operations),
    'clients/python/sendwerk/_operations.py': pythonModule(document, operations),
  };
};
