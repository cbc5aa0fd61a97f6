import type { MqttConfig } from '@storey/provisioning'
import type { Settings } from './settings.ts'

/** The broker: none, the embedded one, or that of `MQTT_URL`. */
export function mqttConfig(settings: Settings): MqttConfig | undefined {
  const { mqttEnabled, mqttUrl, mqttUsername, mqttPassword, mqttPort } = settings
  if (!mqttEnabled) return undefined
  if (mqttUrl === undefined) return { kind: 'embedded', port: mqttPort }
  return { kind: 'external', url: mqttUrl, username: mqttUsername, password: mqttPassword }
}

/** The broker's address for clients on this machine. */
export function mqttAddress(mqtt: MqttConfig | undefined): string | undefined {
  if (mqtt === undefined) return undefined
  return mqtt.kind === 'embedded' ? `mqtt://localhost:${mqtt.port}` : mqtt.url.href
}
