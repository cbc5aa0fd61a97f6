import { useRef, useSyncExternalStore } from 'react'
import type { Player } from './player.ts'

export interface PlayerState {
  isPlaying: boolean
  /** The current frame; while the replay plays, the frame that was shown before playing started. */
  frame: number
  speed: number
}

export function usePlayerState(player: Player): PlayerState {
  const state = useRef<PlayerState>(undefined)
  const subscribe = (listener: () => void) => player.onChange(listener)
  return useSyncExternalStore(subscribe, () => {
    const { isPlaying, speed } = player
    const before = state.current
    const frame = isPlaying ? (before?.frame ?? player.frame) : player.frame
    if (before?.isPlaying !== isPlaying || before.speed !== speed || before.frame !== frame) {
      state.current = { isPlaying, frame, speed }
    }
    return state.current!
  })
}
