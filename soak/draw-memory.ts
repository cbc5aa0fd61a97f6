import { PART_NAMES, PARTS, type Sample } from './sample-memory.ts'

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [900, 360, 60, 30, 40]
const COLOURS = { stack: '#b3541e', controlPlane: '#1e6fb3', postgres: '#3c7d3c' }

/** A line chart of the memory of a run, as SVG. */
export function drawMemory(title: string, samples: readonly Sample[]): string {
  const minutes = Math.max(1 / 60, samples.at(-1)?.minute ?? 0)
  const most = roundedUp(Math.max(1, ...samples.flatMap((sample) => PARTS.map((part) => sample[part]))))
  const x = (minute: number) => LEFT + (minute / minutes) * (WIDTH - LEFT - 20)
  const y = (mb: number) => HEIGHT - BOTTOM - (mb / most) * (HEIGHT - BOTTOM - TOP)
  const text = (at: [number, number], anchor: string, content: string, colour = '#333') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${content}</text>`
  const steps = [0, 0.25, 0.5, 0.75, 1]
  const grid = steps.map((part) => {
    const [height, across] = [y(part * most), x(part * minutes)]
    return [
      `<path d="M${LEFT} ${height.toFixed(1)}H${WIDTH - 20}" stroke="#ddd"/>`,
      text([LEFT - 8, height + 4], 'end', `${Math.round(part * most)} MB`),
      text([across, HEIGHT - BOTTOM + 20], 'middle', `${(part * minutes).toFixed(minutes < 10 ? 1 : 0)} min`),
    ].join('')
  })
  const lines = PARTS.map((part, i) => {
    const path = samples.map((sample) => `${x(sample.minute).toFixed(1)} ${y(sample[part]).toFixed(1)}`).join('L')
    const label = text([LEFT + 10 + i * 150, TOP - 10], 'start', PART_NAMES[part], COLOURS[part])
    return `<path d="M${path}" fill="none" stroke="${COLOURS[part]}" stroke-width="1.5"/>${label}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/>${grid.join('')}${lines.join('')}</svg>\n`
}

/** A round number above the largest value, for the scale. */
function roundedUp(mb: number): number {
  const step = 10 ** Math.floor(Math.log10(mb)) / 2
  return Math.ceil(mb / step) * step
}
