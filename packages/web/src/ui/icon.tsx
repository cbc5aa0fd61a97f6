import type { ReactNode } from 'react'

/** SVG paths on a 16 × 16 grid. */
const PATHS = {
  mark: 'M8 2 2 5l6 3 6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  check: 'm3 8.5 3.2 3L13 4.5',
  cross: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.4v.4',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.5M8 5v.4',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  key: 'M5.5 13a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM8.2 7.3 13.5 2M11 4.5l2 2',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.4M2.5 8h.4M2.5 12h.4',
  building: 'M3.5 14V2.5h9V14M2 14h12M6 5.5h1.2M8.8 5.5H10M6 8.2h1.2M8.8 8.2H10M6.8 14v-3h2.4v3',
  device: 'M2 3h12v8H2zM5.5 13.5h5',
  external: 'M9 3h4v4M13 3 7.5 8.5M6.5 4H3v9h9V9.5',
  chevron: 'm4 6.2 4 4 4-4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.8 13.8',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.8 14c.5-2.8 2.5-4.2 5.2-4.2s4.7 1.4 5.2 4.2',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z',
  monitor: 'M2 3h12v8H2zM8 11v2.5M5.5 13.5h5',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9',
  reset: 'M13 8a5 5 0 1 1-1.6-3.7L13 5.8M13 2.5v3.3H9.7',
  plug: 'M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  arrowUp: 'M8 13V3M4 7l4-4 4 4',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  download: 'M8 2.5v7M5 6.8l3 3 3-3M2.5 11v2.5h11V11',
  filter: 'M2 3.5h12L9.5 8.8v4.4l-3-1.5V8.8z',
  plan: 'M2.5 2.5h11v11h-11zM2.5 7.5h4M9.5 2.5v6M9.5 11v2.5M9.5 8.5h4',
  equipment: 'M4 4h8v8H4zM6.5 6.5h3v3h-3zM6 1.8V4M10 1.8V4M6 12v2.2M10 12v2.2M1.8 6H4M1.8 10H4M12 6h2.2M12 10h2.2',
  clipboard: 'M5.5 3h-2v11h9V3h-2M5.5 1.8h5v2.6h-5zM5.8 7.5h4.4M5.8 10.5h3',
  layers: 'M8 3 2 6.5 8 10l6-3.5zM2 9.8 8 13.3l6-3.5',
  send: 'M14 2 2 7l4.5 2.5zM14 2 9 14 6.5 9.5',
  pulse: 'M1.5 8h3l2-5 3 10 2-5h3',
  play: 'M4.5 2.8v10.4L13 8z',
  pause: 'M5.5 3v10M10.5 3v10',
  camera: 'M2 5h3l1-2h4l1 2h3v8H2zM8 11a2.3 2.3 0 1 0 0-4.6A2.3 2.3 0 0 0 8 11z',
  branch:
    'M4.5 5.8v4.4M4.5 5.8a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM4.5 13.6a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM11.5 5.8a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM11.5 5.8c0 2.6-7 1.6-7 4.4',
  import: 'M8 2v7.6M4.8 6.6 8 9.8l3.2-3.2M2.5 10.5v3h11v-3',
  people:
    'M6 7.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.7 13.3c.4-2.5 2-3.7 4.3-3.7s3.9 1.2 4.3 3.7M10.6 3a2.4 2.4 0 0 1 0 4.5M12 9.9c1.4.5 2.1 1.6 2.4 3.4',
  previous: 'm10 3.5-4.5 4.5 4.5 4.5',
  next: 'm6 3.5 4.5 4.5-4.5 4.5',
  stepBack: 'M4 3v10M12 3.5v9L6.5 8z',
  stepOn: 'M12 3v10M4 3.5v9L9.5 8z',
} as const

export type IconName = keyof typeof PATHS

/** Icons are hidden from screen readers: put a text beside them, or a label on the control. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      className="st-icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
