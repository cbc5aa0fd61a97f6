import { describe, expect, it } from 'vitest'
import { createPlayer } from './player.ts'

/** A display whose frames the test controls. */
function setUp(start = 0) {
  let waiting: ((at: number) => void) | undefined
  let time = 1000
  const player = createPlayer({
    count: 100,
    start,
    durationMs: 1000,
    requestFrame(callback) {
      waiting = callback
      return () => {
        waiting = undefined
      }
    },
  })
  const frame = (ms: number) => {
    time += ms
    const callback = waiting
    waiting = undefined
    callback?.(time)
  }
  return { player, frame, isWaiting: () => waiting !== undefined }
}

describe('the player of a replay', () => {
  it('moves by the elapsed time and its speed', () => {
    const { player, frame } = setUp()
    player.play()
    frame(0)
    frame(100)
    expect([player.frame, player.isPlaying]).toEqual([10, true])
    player.setSpeed(2)
    frame(100)
    expect(player.frame).toBe(30)
  })

  it('stops at the last frame, and plays from the start when it is played again', () => {
    const { player, frame, isWaiting } = setUp(95)
    let changes = 0
    player.onChange(() => changes++)
    player.play()
    frame(0)
    frame(200)
    expect([player.frame, player.isPlaying, isWaiting(), changes]).toEqual([99, false, false, 2])
    player.play()
    expect([player.frame, player.isPlaying]).toEqual([0, true])
  })

  it('pauses when the user selects a frame', () => {
    const { player, frame, isWaiting } = setUp()
    player.play()
    frame(0)
    player.seek(500)
    expect([player.frame, player.isPlaying, isWaiting()]).toEqual([99, false, false])
    player.seek(-3)
    expect(player.frame).toBe(0)
  })

  it('counts at most 250 ms between two frames, so that it does not jump after the page was hidden', () => {
    const { player, frame } = setUp()
    player.play()
    frame(0)
    frame(60_000)
    expect(player.frame).toBe(25)
  })

  it('notifies its listeners in every frame while it plays, and requests no frame after it is closed', () => {
    const { player, frame, isWaiting } = setUp()
    let frames = 0
    const end = player.onFrame(() => frames++)
    player.play()
    frame(0)
    frame(16)
    expect(frames).toBe(2)
    end()
    frame(16)
    expect(frames).toBe(2)
    player.close()
    expect(isWaiting()).toBe(false)
  })
})
