import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A plain Node server for comparison: it shows what this machine can do under the same flood. */
const server = createServer((_request, response) => void response.end('ok'))
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
