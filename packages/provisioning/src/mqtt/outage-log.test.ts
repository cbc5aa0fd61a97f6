import type { Log } from '@storey/kit/log'
import { describe, expect, it } from 'vitest'
import { createOutageLog } from './outage-log.ts'

function outageLog() {
  const lines: string[] = []
  let nowMs = 0
  const write = (_fields: object, text: string) => lines.push(text)
  const log = { warn: write, info: write } as unknown as Log
  const outages = createOutageLog(new URL('mqtt://broker.example.com'), log, () => nowMs)
  return { ...outages, lines, pass: (ms: number) => (nowMs += ms) }
}

describe('the log of outages of an external broker', () => {
  it('has a pair of lines for each outage', () => {
    const { lost, connected, lines, pass } = outageLog()
    connected()
    expect(lines).toEqual([])
    for (const outageMs of [12_000, 1_500]) {
      lost()
      lost()
      expect(lines.splice(0)).toEqual(['external MQTT broker unreachable'])
      pass(outageMs)
      connected()
      connected()
      expect(lines.splice(0)).toEqual(['external MQTT broker connected again'])
      pass(24_000)
    }
  })

  it('has only one pair of lines for a broker that closes each connection', () => {
    const { lost, connected, lines, pass } = outageLog()
    for (let i = 0; i < 4; i++) {
      lost()
      pass(1_000)
      connected()
    }
    expect(lines).toEqual(['external MQTT broker unreachable', 'external MQTT broker connected again'])
  })
})
