import { describe, expect, it } from 'vitest'
import type { SandboxRow } from '../features/sandboxes/index.ts'
import { testMqttBroker } from '../testing/mqtt-broker.ts'

const row = { id: 'sbx_1', tenantId: 'org_1', siteId: 'site_1', buildingId: 'building_1' } as SandboxRow

describe('the address of MQTT in the connection record', () => {
  it.each([
    [new URL('mqtts://mqtt.example.com:8883'), 'mqtts://mqtt.example.com:8883'],
    [undefined, /^mqtt:\/\/[^:]+:1883$/],
  ])('[MQT-26] is the public one (%s) if it is set, otherwise that of the broker', async (publicUrl, expected) => {
    const broker = await testMqttBroker({ mqtt: { kind: 'embedded', port: 1883, publicUrl } })
    expect(broker.plane().mqtt!.connectionOf(row)!.url).toMatch(expected)
    await broker.drop()
  })
})
