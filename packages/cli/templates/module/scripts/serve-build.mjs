// Serves the build on the remote's fixed port, or on the port of the option --port.
import { parseArgs } from 'node:util'
import { preview } from 'vite'

/** `script` is the name of the npm script that calls this function. */
export async function serveBuild(script) {
  const { port } = parseArgs({ options: { port: { type: 'string' } } }).values
  try {
    const server = await preview(port === undefined ? {} : { preview: { port: Number(port) } })
    server.printUrls()
  } catch (error) {
    const isTaken = /already in use/.test(error.message)
    const other = (Number(port) || 6001) + 1
    const next = `Stop what runs there, or choose another port: npm run ${script} -- --port ${other}`
    process.stderr.write(`${error.message}.${isTaken ? ` ${next}` : ''}\n`)
    process.exit(1)
  }
}
