import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { addressBytes } from '../../client-address/index.ts'

/** The response for a name: its addresses, a server failure, or no response. A name without an entry is unknown. */
export type Answers = Record<string, string[] | 'failed' | 'silent'>

export interface NameServer {
  /** The address of the server, in the form that `Resolver.setServers` accepts. */
  address: string
  answers: Answers
  /** The names of all queries, in order. */
  queries: string[]
  stop(): Promise<void>
}

const A = 1
const AAAA = 28

/** A name server for A and AAAA queries, on a free port. */
export async function startNameServer(answers: Answers = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = readQuestion(message)
    queries.push(name)
    const answer = answers[name]
    if (answer === 'silent') return
    const code = answer === undefined ? 3 : answer === 'failed' ? 2 : 0
    const found = (Array.isArray(answer) ? answer : [])
      .map((text) => Buffer.from(addressBytes(text)!))
      .filter(({ length }) => length === (type === A ? 4 : type === AAAA ? 16 : 0))
    const head = Buffer.from(message.subarray(0, 12))
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt16BE(found.length, 6)
    head.fill(0, 8)
    const records = found.flatMap((bytes) => [Buffer.of(0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length), bytes])
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answers,
    queries,
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}
