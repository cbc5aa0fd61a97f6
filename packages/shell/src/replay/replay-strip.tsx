import { type ReactNode, useEffect, useRef } from 'react'
import styles from './replay.module.css'
import type { ReplayColouring } from './replay-colouring.ts'

const HEIGHT = 28

/** Draws how many rooms have each colour over time. The picture is behind the slider. */
export function ReplayStrip({ colouring, count }: { colouring: ReplayColouring; count: number }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const drawing = canvas.current?.getContext('2d')
    if (!drawing) return
    drawing.clearRect(0, 0, count, HEIGHT)
    for (let frame = 0; frame < count; frame++) {
      const counts = colouring.countAt(frame)
      const total = counts.reduce((sum, n) => sum + n, 0)
      let y = HEIGHT
      for (const [tone, n] of counts.entries()) {
        if (n === 0) continue
        const height = (n / total) * HEIGHT
        y -= height
        drawing.fillStyle = colouring.tones[tone]!.color
        drawing.fillRect(frame, y, 1, height)
      }
    }
  }, [colouring, count])
  return <canvas ref={canvas} className={styles.strip} width={count} height={HEIGHT} />
}
