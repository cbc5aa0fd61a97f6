export interface ElementPoint {
  index: number
  suffix: string
  seed: number
}

export type PointsOf = (elementKey: string) => readonly ElementPoint[]
