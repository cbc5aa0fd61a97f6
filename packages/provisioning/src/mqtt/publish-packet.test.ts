import { generate } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import { publishAck, readPublish } from './publish-packet.ts'

const packet = { cmd: 'publish', qos: 1, dup: false, retain: false } as const

describe('a PUBLISH packet', () => {
  it('is read as the MQTT library writes it', () => {
    const fields = { topic: 'svc/ä/telemetry', messageId: 0x1234, payload: Buffer.from('payload') }
    expect(readPublish(generate({ ...packet, ...fields }).subarray(2))).toEqual(fields)
    const empty = { topic: 't', messageId: 1, payload: Buffer.alloc(0) }
    expect(readPublish(generate({ ...packet, ...empty }).subarray(2))).toEqual(empty)
    expect(publishAck(0x1234)).toEqual(generate({ cmd: 'puback', messageId: 0x1234 }))
  })

  it.each([
    ['nothing', []],
    ['a topic that ends early', [0, 9, 0x61, 0, 1]],
    ['no message id', [0, 2, 0x61, 0x62]],
    ['half a message id', [0, 1, 0x61, 1]],
    ['the message id 0', [0, 1, 0x61, 0, 0, 0x62]],
  ])('is not read if it has %s', (_, bytes) => {
    expect(readPublish(Buffer.from(bytes))).toBeUndefined()
  })
})
