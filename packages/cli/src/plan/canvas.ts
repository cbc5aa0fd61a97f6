/** A character of the plan. Walls are light lines between rooms, and heavy lines around the storey. */
export interface Cell {
  wall: [up: number, right: number, down: number, left: number]
  text: string | undefined
  /** The type of the room that covers the cell; it determines the colour. */
  ground: string | undefined
}

export interface Canvas {
  readonly columns: number
  readonly rows: number
  at(column: number, row: number): Cell
  /** A horizontal or vertical line, both ends included. */
  line(from: readonly [number, number], to: readonly [number, number], weight: 1 | 2): void
}

const [UP, RIGHT, DOWN, LEFT] = [0, 1, 2, 3] as const

export function createCanvas(columns: number, rows: number): Canvas {
  const cells: Cell[] = Array.from({ length: columns * rows }, () => ({
    wall: [0, 0, 0, 0],
    text: undefined,
    ground: undefined,
  }))
  const at = (column: number, row: number) => cells[row * columns + column]!
  const join = (cell: Cell, side: number, weight: number) => {
    cell.wall[side] = Math.max(cell.wall[side]!, weight)
  }
  return {
    columns,
    rows,
    at,
    line([c1, r1], [c2, r2], weight) {
      for (let c = Math.min(c1, c2); c < Math.max(c1, c2); c++) {
        join(at(c, r1), RIGHT, weight)
        join(at(c + 1, r1), LEFT, weight)
      }
      for (let r = Math.min(r1, r2); r < Math.max(r1, r2); r++) {
        join(at(c2, r), DOWN, weight)
        join(at(c2, r + 1), UP, weight)
      }
    },
  }
}

/** Keys are the weights of the lines that go up, right, down and left from the cell. */
const LIGHT: Record<string, string> = {
  ...{ '0101': '─', '1010': '│', '0110': '┌', '0011': '┐', '1100': '└', '1001': '┘' },
  ...{ '1110': '├', '1011': '┤', '0111': '┬', '1101': '┴', '1111': '┼' },
  ...{ '1000': '╵', '0100': '╶', '0010': '╷', '0001': '╴' },
}
const HEAVY: Record<string, string> = {
  ...{ '0202': '━', '2020': '┃', '0220': '┏', '0022': '┓', '2200': '┗', '2002': '┛' },
  ...{ '2120': '┠', '2021': '┨', '0212': '┯', '1202': '┷' },
}

export function wallOf({ wall }: Cell, unicode: boolean): string | undefined {
  if (wall.every((weight) => weight === 0)) return undefined
  const key = wall.join('')
  if (unicode) return HEAVY[key] ?? LIGHT[key.replaceAll('2', '1')]
  if (/^0.0.$/.test(key)) return '-'
  return /^.0.0$/.test(key) ? '|' : '+'
}
