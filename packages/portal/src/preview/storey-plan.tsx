import { kindOfRoom, roomKindColour, useTheme } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { labelOf, lineOffsets, pointsOf } from './plan-geometry.ts'
import type { RoomPreview, StoreyPreview } from './preview.ts'

interface StoreyPlanProps {
  storey: StoreyPreview
  label: string
  /** The tooltip of a room. */
  describe(room: RoomPreview): string
}

const MARGIN = 0.02

/** The plan of a storey, to scale. The room list has the same data as text. */
export function StoreyPlan({ storey, label, describe }: StoreyPlanProps): ReactNode {
  const { rooms, plate } = storey
  const { theme } = useTheme()
  const width = Math.max(...plate.map(([x]) => x))
  const depth = Math.max(...plate.map(([, y]) => y))
  const pad = width * MARGIN
  const drawn = useMemo(
    () =>
      rooms.map((room) => ({
        room,
        points: pointsOf(room.polygon, depth),
        label: labelOf(room, depth, width),
        kind: kindOfRoom(room.spaceType),
      })),
    [rooms, depth, width],
  )
  return (
    <svg
      className="plan"
      viewBox={`${-pad} ${-pad} ${width + 2 * pad} ${depth + 2 * pad}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="xMidYMid meet"
    >
      <polygon className="plan-plate" points={pointsOf(plate, depth)} strokeWidth={width / 220} />
      {drawn.map(({ room, points, kind }) => (
        <polygon
          key={room.code}
          className={room.status === 'vacant' ? 'plan-room plan-vacant' : 'plan-room'}
          fill={roomKindColour(kind, theme)}
          points={points}
          strokeWidth={width / 520}
        >
          <title>{describe(room)}</title>
        </polygon>
      ))}
      {drawn.map(({ room, label: text }) =>
        text ? (
          <text key={room.code} fontSize={text.size}>
            {lineOffsets(text).map((offset, at) => (
              <tspan key={offset} x={text.x} y={text.y + offset}>
                {text.lines[at]}
              </tspan>
            ))}
          </text>
        ) : null,
      )}
    </svg>
  )
}
