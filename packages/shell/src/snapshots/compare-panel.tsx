import type { SnapshotRecord } from '@storey/sdk'
import { Button, navigate, Panel, Select, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { compareAddress } from './compare-address.ts'
import styles from './snapshots.module.css'
import { snapshotTexts } from './texts.ts'

const NOW = ''

/** Chooses two snapshots, or a snapshot and the current building, to compare. */
export function ComparePanel({ snapshots }: { snapshots: readonly SnapshotRecord[] }): ReactNode {
  const t = useTexts(snapshotTexts)
  const { revision } = useBuildingData()
  const [from, setFrom] = useState(snapshots[0]!.name)
  const [to, setTo] = useState(NOW)
  const known = new Set(snapshots.map(({ name }) => name))
  // Somebody can delete a chosen snapshot while the page is open.
  const start = known.has(from) ? from : snapshots[0]!.name
  const end = known.has(to) ? to : NOW
  const options = snapshots.map(({ name, revision: n }) => ({
    value: name,
    label: t('option', { name, n: String(n) }),
  }))
  return (
    <Panel title={t('compare')}>
      <div className={styles.compare}>
        <Select label={t('from')} value={start} options={options} onValue={setFrom} />
        <Select
          label={t('to')}
          hint={start === end ? t('same') : undefined}
          value={end}
          options={[{ value: NOW, label: t('now', { n: String(revision) }) }, ...options]}
          onValue={setTo}
        />
        <Button
          label={t('compare')}
          disabled={start === end}
          onClick={() => navigate(compareAddress(start, end === NOW ? undefined : end))}
        />
      </div>
    </Panel>
  )
}
