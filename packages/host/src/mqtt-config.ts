import type { MqttConfig } from '@storey/provisioning'
import type { Settings } from './settings.ts'

/**
 * Returns the settings of the embedded broker, or of the broker at `MQTT_URL`; undefined if MQTT is disabled. Without
 * credentials for an external broker, `provisioning/src/mqtt/mqtt.ts` logs a warning and reads no messages from the
 * broker.
 */
export function mqttConfig(settings: Settings): MqttConfig | undefined {
  const { mqttEnabled, mqttUrl, mqttUsername, mqttPassword, mqttPort, mqttPublicUrl: publicUrl } = settings
  if (!mqttEnabled) return undefined
  if (mqttUrl === undefined) return { kind: 'embedded', port: mqttPort, publicUrl }
  return { kind: 'external', url: mqttUrl, username: mqttUsername, password: mqttPassword, publicUrl }
}

/** The broker's address in the start message: the public one, else that of `MQTT_URL` or of the embedded broker. */
export function mqttAddress(mqtt: MqttConfig | undefined): string | undefined {
  if (mqtt === undefined) return undefined
  if (mqtt.publicUrl !== undefined) return mqtt.publicUrl.href
  return mqtt.kind === 'embedded' ? `mqtt://localhost:${mqtt.port}` : mqtt.url.href
}
