const MAX_PX = 120

/** The longest round number of metres that fits into the scale bar: 1, 2 or 5 times a power of ten. */
export function barLength(pixelsPerMetre: number): number {
  const max = MAX_PX / pixelsPerMetre
  const power = 10 ** Math.floor(Math.log10(max))
  return [5, 2, 1].map((factor) => factor * power).find((metres) => metres <= max) ?? power
}
