import { describe, expect, it } from 'vitest'
import { addQueues, clientKey } from './send-queues.ts'

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const line = (local: string, client: string, state: string, queue: string) =>
  `   0: ${local} ${client} ${state} ${queue}:00000000 01:00000014 00000000  1000        0 20096889 1 0000000074aaf97e\n`

function queuesOf(table: string): Map<string, number> {
  const queues = new Map<string, number>()
  addQueues(head + table, 4000, queues)
  return queues
}

describe('the send queues of a port', () => {
  it('are read for IPv4, IPv6 and mapped addresses, in the form that Node prints', () => {
    const queues = queuesOf(
      line('0100007F:0FA0', '0200007F:C4D6', '01', '00280000') +
        line('00000000000000000000000001000000:0FA0', 'B80D0120000000000000000001000000:01BB', '01', '00000010') +
        line('0000000000000000FFFF00000100007F:0FA0', '0000000000000000FFFF00000900007F:0050', '04', '00000001'),
    )
    expect([...queues]).toEqual([
      ['127.0.0.2 50390', 0x280000],
      ['2001:db8::1 443', 16],
      ['127.0.0.9 80', 1],
    ])
    expect(queues.get(clientKey('::ffff:127.0.0.9', 80))).toBe(1)
  })

  it('leave out other ports, clients that have read everything, and the clients’ own ends of connections', () => {
    const table =
      line('0100007F:0FA1', '0200007F:C4D6', '01', '00280000') +
      line('0100007F:0FA0', '0200007F:C4D7', '01', '00000000') +
      line('0200007F:C4D8', '0100007F:0FA0', '01', '00000400')
    expect(queuesOf(table).size).toBe(0)
    expect(queuesOf(table + line('0100007F:0FA0', '0200007F:C4D9', '01', '00000400')).size).toBe(1)
  })
})
