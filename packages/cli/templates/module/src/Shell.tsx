import { useBuilding, useLiveValues, usePlatform } from '@storey/sdk/module'
import { name } from '../manifest.json'
import { Reading } from './Reading.tsx'
import styles from './Shell.module.css'
import { useSensors } from './use-sensors.ts'

const NONE: [] = []

/** What the shell shows for this module. All data of the building comes from the SDK's context. */
export default function Shell() {
  const { theme } = usePlatform()
  const building = useBuilding()
  const sensors = useSensors(8)
  const values = useLiveValues(sensors.data?.map(({ id }) => id) ?? NONE)
  const error = building.error ?? sensors.error ?? values.error

  return (
    <main className={styles.shell} data-theme={theme}>
      <header>
        <p className={styles.module}>{name}</p>
        <h1 className={styles.building}>{building.data?.name ?? '…'}</h1>
      </header>
      {error && (
        <p className={styles.error} role="alert">
          {error.message}
        </p>
      )}
      {sensors.data?.length === 0 && <p>This building has no sensors.</p>}
      <ul className={styles.readings}>
        {sensors.data?.map((sensor) => (
          <Reading key={sensor.id} sensor={sensor} reading={values.data?.get(sensor.id)} />
        ))}
      </ul>
    </main>
  )
}
