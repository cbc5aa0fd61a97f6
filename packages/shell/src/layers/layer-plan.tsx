import type { SpaceNode } from '@storey/sdk'
import { EmptyState, navigate, useTexts } from '@storey/web'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import type { Colouring } from '../colouring/colouring.ts'
import { Legend } from '../colouring/legend.tsx'
import { useVisibleText } from '../live/visible-text.ts'
import { Plan } from '../plan/plan.tsx'
import styles from './layers.module.css'
import { layerTexts } from './texts.ts'

/**
 * The plan of a storey, coloured by a layer. It starts with the storey that has the most values, or with the ground
 * storey if no room has a value.
 */
export function LayerPlan({ colouring }: { colouring: Colouring }): ReactNode {
  const t = useTexts(layerTexts)
  const visibleText = useVisibleText()
  const { storeys, spacesOf } = useBuildingData()
  const withRooms = useMemo(() => storeys.filter(({ id }) => spacesOf(id).length > 0).toReversed(), [storeys, spacesOf])
  const [selected, setSelected] = useState<string>()
  const coloured = (id: string) => spacesOf(id).filter((space) => colouring.textOf(space) !== undefined).length
  const first = withRooms.reduce<(typeof withRooms)[number] | undefined>(
    (best, next) => (best && coloured(best.id) >= coloured(next.id) ? best : next),
    undefined,
  )
  const ground = withRooms.find(({ index }) => index === 0)
  const hasValues = first !== undefined && coloured(first.id) > 0
  const storey = withRooms.find(({ id }) => id === selected) ?? (hasValues ? first : (ground ?? first))
  const spaces = useMemo(() => (storey ? spacesOf(storey.id) : []), [storey, spacesOf])
  const colourOf = useCallback((space: SpaceNode) => colouring.shadeOf(space)?.color, [colouring])
  const textOf = useCallback(
    (space: SpaceNode) => {
      const text = colouring.textOf(space)
      return text === undefined ? undefined : visibleText(text)
    },
    [colouring, visibleText],
  )
  const describe = useCallback(
    (space: SpaceNode) => {
      const text = textOf(space) ?? t('noValue')
      const label = colouring.shadeOf(space)?.label
      return label === undefined || label === text ? text : `${text} (${label})`
    },
    [colouring, textOf, t],
  )
  if (!storey) return <EmptyState title={t('noPlan')} level={3} />
  return (
    <div className={styles.planWithStoreys}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div className={styles.storeys} role="group" aria-label={t('storey')}>
        {withRooms.map(({ id, code, name }) => (
          <button key={id} type="button" aria-pressed={id === storey.id} title={name} onClick={() => setSelected(id)}>
            {code || name}
          </button>
        ))}
      </div>
      <div className={styles.planFrame}>
        <Plan
          label={t('planOf', { storey: storey.name, layer: colouring.title })}
          spaces={spaces}
          outline={storey.polygon}
          colourOf={colourOf}
          textOf={textOf}
          describe={describe}
          onSelect={({ id }) => navigate(`/rooms/${id}`)}
        />
        <Legend colouring={colouring} spaces={spaces} />
      </div>
    </div>
  )
}
