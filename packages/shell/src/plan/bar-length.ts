const MAX_PX = 120

/** The length of the scale bar in metres: the largest 1, 2 or 5 times a power of ten that takes at most `MAX_PX`. */
export function barLength(pixelsPerMetre: number): number {
  const max = MAX_PX / pixelsPerMetre
  const power = 10 ** Math.floor(Math.log10(max))
  return [5, 2, 1].map((factor) => factor * power).find((metres) => metres <= max) ?? power
}
