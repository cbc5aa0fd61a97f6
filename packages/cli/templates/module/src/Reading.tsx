import { type PointValue, usePlatform } from '@storey/sdk/module'
import styles from './Shell.module.css'
import type { Sensor } from './use-sensors.ts'

/** One sensor: its name, its element and its last value. */
export function Reading({ sensor, reading }: { sensor: Sensor; reading: PointValue | undefined }) {
  const { locale } = usePlatform()
  return (
    <li className={styles.reading}>
      <span className={styles.name}>
        {sensor.name}
        <span className={styles.element}>{sensor.element}</span>
      </span>
      <span className={styles.value}>
        {reading ? shown(reading.value, locale) : '–'} <span className={styles.unit}>{sensor.unit}</span>
      </span>
      {reading && (
        <time className={styles.time} dateTime={reading.timestamp}>
          {new Date(reading.timestamp).toLocaleTimeString(locale)}
        </time>
      )}
    </li>
  )
}

/** Values are strings in the API; most of them are numbers. */
function shown(value: string, locale: string): string {
  const number = Number(value)
  return value.trim() === '' || Number.isNaN(number)
    ? value
    : number.toLocaleString(locale, { maximumFractionDigits: 1 })
}
