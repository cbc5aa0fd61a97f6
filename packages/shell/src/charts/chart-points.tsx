import type { PointNode } from '@storey/sdk'
import { Button, Combobox, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import styles from './charts.module.css'
import { comparableWith, MAX_POINTS } from './comparable.ts'
import { chartTexts } from './texts.ts'

interface PointKeysProps {
  points: readonly PointNode[]
  names: readonly string[]
  onRemove(pointId: string): void
}

/** The points of a chart with their colours. */
export function PointKeys({ points, names, onRemove }: PointKeysProps): ReactNode {
  const t = useTexts(chartTexts)
  return (
    <ul className={styles.keys} aria-label={t('points')}>
      {points.map(({ id, pointType }, i) => (
        <li key={id}>
          <span className={styles.key} data-series={i} data-dashed={isDashed(pointType) ? '' : undefined} />
          {names[i]}
          {i > 0 ? (
            <Button
              small
              kind="quiet"
              icon="cross"
              iconOnly
              label={t('remove', { name: names[i]! })}
              onClick={() => onRemove(id)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  )
}

/** Adds points to a chart: buttons for the suggested setpoints, and a list of all points that can be added. */
export function AddPoint({ points, onAdd }: { points: readonly PointNode[]; onAdd(pointId: string): void }): ReactNode {
  const t = useTexts(chartTexts)
  const model = useBuildingData()
  const { suggested, addable } = useMemo(() => comparableWith(model, points), [model, points])
  const options = useMemo(
    () =>
      addable.map(({ id, name, code, elementId }) => {
        const place = model.spaceOf(id) ?? model.element(elementId)
        return { value: id, label: `${name} · ${place?.name ?? ''}`, detail: code }
      }),
    [model, addable],
  )
  const isFull = points.length >= MAX_POINTS
  return (
    <>
      {isFull || options.length > 0 ? (
        <Combobox
          label={t('compare')}
          placeholder={isFull ? t('tooMany', { n: MAX_POINTS }) : t('comparePlaceholder')}
          options={options}
          value=""
          disabled={isFull}
          onChange={(id) => id !== '' && onAdd(id)}
        />
      ) : null}
      {suggested.map(({ id, name }) => (
        <Button key={id} icon="plus" label={name} aria-label={t('add', { name })} onClick={() => onAdd(id)} />
      ))}
    </>
  )
}

/** A point whose value is set by people or programs has a dashed line. All other points have a solid line. */
export const isDashed = (pointType: PointNode['pointType']): boolean =>
  pointType === 'SETPOINT' || pointType === 'PARAMETER' || pointType === 'COMMAND'
