// Serves the build on the port in vite.config.ts, or on another one: npm run serve:remote -- --port 6002
import { parseArgs } from 'node:util'
import { preview } from 'vite'

export async function serveBuild() {
  const { port } = parseArgs({ options: { port: { type: 'string' } } }).values
  try {
    const server = await preview(port === undefined ? {} : { preview: { port: Number(port) } })
    server.printUrls()
  } catch (error) {
    const isTaken = /already in use/.test(error.message)
    const next = 'Stop what runs there, or choose another port: npm run serve:remote -- --port 6002'
    process.stderr.write(`${error.message}.${isTaken ? ` ${next}` : ''}\n`)
    process.exit(1)
  }
}
