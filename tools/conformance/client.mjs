// Saves, follows a chain and searches with the TypeScript SDK.
// node client.mjs stdio COMMAND WORD... | node client.mjs http URL
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, first, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: first, args: rest, env: process.env, stderr: "inherit" })
    : new StreamableHTTPClientTransport(new URL(first));
const client = new Client({ name: "typescript-sdk", version: "1.0.0" });
await client.connect(transport);

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return result.structuredContent;
}
function expect(condition, what) {
  if (!condition) throw new Error(`${kind}: ${what}`);
}

const { tools } = await client.listTools();
expect(tools.length === 22, `22 tools, not ${tools.length}`);
const root = (await call("save_context", { content: `typescript over ${kind}`, actionType: "decision" })).snapshot;
const leaf = (await call("save_context", { content: "what followed", causedBy: [root.id] })).snapshot;
const chain = await call("build_causal_chain", { snapshotId: leaf.id });
expect(chain.steps.map((step) => step.id).join() === `${root.id},${leaf.id}`, "the chain of two");
const found = await call("search_context", { query: `typescript ${kind}` });
expect(found.hits.some((hit) => hit.id === root.id), "the hit");
const refused = await client.callTool({ name: "load_context", arguments: { limit: 0 } });
expect(refused.isError && refused.content[0].text.includes("from 1 to 100"), "the refusal");
await client.close();
console.log(`${kind}: saved, followed, found`);
