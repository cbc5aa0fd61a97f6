import type { SpaceNode } from '@storey/sdk'
import { Link, useTexts, useTheme } from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import type { Colouring } from '../colouring/colouring.ts'
import { useChangeCount } from '../colouring/use-change-count.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { useValueFormat } from '../live/format-value.ts'
import { HeatmapRow } from './heatmap-row.tsx'
import styles from './overview.module.css'
import { type StoreyRow, storeyRows } from './row-layout.ts'
import { overviewTexts } from './texts.ts'

interface StoreyHeatmapProps {
  colouring: Colouring | undefined
  /** The colouring with which the plan of a storey is opened. */
  planChoice: string | undefined
  /** The unit of the numbers, as in the field `unit` of a point, such as `DEG_C`. */
  unit: string | undefined
}

/** With more storeys the height of each row is smaller, so that most of a tower fits on the screen. */
export const MAX_TALL_ROWS = 20

/** The storeys from top to bottom, each a row of its rooms in their colours. */
export function StoreyHeatmap({ colouring, planChoice, unit }: StoreyHeatmapProps): ReactNode {
  const model = useBuildingData()
  const rows = useMemo(() => storeyRows(model), [model])
  const changes = useChangeCount(colouring)
  const { theme } = useTheme()
  return (
    <ol className={styles.stack} data-dense={rows.length > MAX_TALL_ROWS ? '' : undefined}>
      {rows.map((row) => (
        <li key={row.storey.id} data-ground={row.storey.index === 0 ? '' : undefined}>
          <Row {...{ row, colouring, changes, theme, planChoice, unit }} />
        </li>
      ))}
    </ol>
  )
}

interface RowProps extends StoreyHeatmapProps {
  row: StoreyRow
  changes: number
  theme: string
}

function Row({ row, colouring, changes, theme, planChoice, unit }: RowProps): ReactNode {
  const t = useTexts(overviewTexts)
  const format = useValueFormat()
  const [hovered, setHovered] = useState<SpaceNode>()
  const { storey, spaces, cells } = row
  const query = new URLSearchParams({ storey: storey.code })
  if (hovered) query.set('room', hovered.id)
  if (planChoice !== undefined) query.set('colour', planChoice)
  const mean = averageOf(spaces, colouring)
  const average = mean === undefined ? '' : withUnit(format.number(mean, unit), colouring?.unit)
  return (
    <Link className={styles.row!} to={`/plan?${query}`}>
      <span className={styles.name}>
        {storey.code === storey.name ? null : <code>{storey.code}</code>}
        <span title={storey.name}>{storey.name}</span>
      </span>
      <span className={styles.field}>
        <HeatmapRow cells={cells} colouring={colouring} changes={changes} theme={theme} onHover={setHovered} />
        {hovered ? <Tip cells={cells} space={hovered} colouring={colouring} /> : null}
      </span>
      <span className={styles.average} title={average && t('average', { value: average })}>
        {average}
      </span>
      <span className={styles.marks}>
        <NodeMark nodeId={storey.id} showsCount />
      </span>
    </Link>
  )
}

/** The name and the value of the room under the pointer. */
function Tip({
  cells,
  space,
  colouring,
}: Pick<StoreyRow, 'cells'> & { space: SpaceNode; colouring?: Colouring | undefined }) {
  const cell = cells.find((one) => one.space === space)
  const text = colouring?.textOf(space)
  const value = text === undefined ? '–' : withUnit(text, colouring?.unitOf?.(space) ?? colouring?.unit)
  const at = cell ? (cell.from + cell.to) / 2 : 0
  return (
    <span className={styles.tip} data-side={at > 0.5 ? 'left' : 'right'} style={{ insetInlineStart: `${at * 100}%` }}>
      {space.name} <strong>{value}</strong>
    </span>
  )
}

const withUnit = (text: string, unit: string | undefined) => (unit ? `${text}\u00a0${unit}` : text)

/** The mean of the numbers of the rooms; undefined if no room has a number. */
function averageOf(spaces: readonly SpaceNode[], colouring: Colouring | undefined): number | undefined {
  let [sum, count] = [0, 0]
  for (const space of spaces) {
    const value = colouring?.numberOf?.(space)
    if (value === undefined) continue
    sum += value
    count++
  }
  return count === 0 ? undefined : sum / count
}
