import { createServer } from 'node:http'

/** Answers in place of the stacks of all sandboxes: one small process, started with the argument `serve`. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit(0))
