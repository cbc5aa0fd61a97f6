export type Ink = 'dark' | 'light'

/** Whether dark or light text has more contrast on a CSS colour. */
export function inkOn(color: string): Ink {
  const known = inks.get(color) ?? inkFor(color)
  inks.set(color, known)
  return known
}

/** A cache: a plan uses few colours many times. */
const inks = new Map<string, Ink>()

function inkFor(color: string): Ink {
  const [red, green, blue] = channels(color)
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  // At this luminance the contrast to black and to white is equal.
  return luminance > 0.179 ? 'dark' : 'light'
}

function channels(color: string): [number, number, number] {
  const digits = /^#([0-9a-f]{3,8})$/i.exec(color)?.[1]
  if (!digits) return namedColour(color)
  const fullDigits = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits
  const channel = (i: number) => Number.parseInt(fullDigits.slice(i, i + 2), 16)
  return [channel(0), channel(2), channel(4)]
}

let canvas: CanvasRenderingContext2D | null | undefined

/** The browser resolves colour names. */
function namedColour(color: string): [number, number, number] {
  if (typeof document === 'undefined') return [255, 255, 255]
  canvas ??= document.createElement('canvas').getContext('2d')
  if (!canvas) return [255, 255, 255]
  canvas.fillStyle = '#ffffff'
  canvas.fillStyle = color
  const shown = String(canvas.fillStyle)
  return shown.startsWith('#') ? channels(shown) : [255, 255, 255]
}
const linear = (channel: number) => {
  const part = channel / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}
