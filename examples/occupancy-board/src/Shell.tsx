import { useBuilding, usePlatform } from '@storey/sdk/module'
import { type ReactNode, useMemo } from 'react'
import { Board } from './Board.tsx'
import { inLanguage } from './node-names.ts'
import styles from './Shell.module.css'
import { useOccupancy } from './use-occupancy.ts'
import { type BoardData, useRooms } from './use-rooms.ts'
import { useLocalization } from './words.ts'

/** What the shell shows for this module. All its data comes from the SDK's context. */
export default function Shell(): ReactNode {
  const { theme, locale } = usePlatform()
  const { words } = useLocalization()
  const building = useBuilding()
  const { data: stored, error, reload } = useRooms()
  const data = useMemo(() => stored && inLanguage(stored, locale, stored.typeNames), [stored, locale])
  return (
    <main className={styles.shell} data-theme={theme} lang={locale}>
      <header>
        <p className={styles.module}>{words.title}</p>
        <h1 className={styles.building}>{building.data?.name ?? '…'}</h1>
      </header>
      {error ? (
        <Failure error={error} onRetry={reload} />
      ) : data === undefined ? (
        <Loading />
      ) : data.rooms.length === 0 ? (
        <p className={styles.empty}>{words.noRooms}</p>
      ) : (
        <LiveBoard data={data} timeZone={building.data?.timezone} onRetry={reload} />
      )}
    </main>
  )
}

interface LiveBoardProps {
  data: BoardData
  timeZone: string | undefined
  onRetry(): void
}

function LiveBoard({ data, timeZone, onRetry }: LiveBoardProps): ReactNode {
  const { data: board, error } = useOccupancy(data.rooms, data.lastDataAt)
  if (error) return <Failure error={error} onRetry={onRetry} />
  return board ? <Board data={data} board={board} timeZone={timeZone} /> : <Loading />
}

function Loading(): ReactNode {
  return (
    <p className={styles.empty} role="status">
      {useLocalization().words.loading}
    </p>
  )
}

function Failure({ error, onRetry }: { error: Error; onRetry(): void }): ReactNode {
  const { words } = useLocalization()
  return (
    <div className={styles.failure} role="alert">
      <p>
        <strong>{words.failed}</strong>
        <br />
        {error.message}
      </p>
      <button type="button" onClick={onRetry}>
        {words.retry}
      </button>
    </div>
  )
}
