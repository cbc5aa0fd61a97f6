import { describe, expect, it, vi } from 'vitest'
import { createUnsaved } from './unsaved.ts'

describe('unsaved input', () => {
  it('lets a navigation pass while nothing is unsaved', () => {
    const unsaved = createUnsaved()
    const leave = vi.fn()
    unsaved.ask(leave)
    expect(leave).toHaveBeenCalledOnce()
    expect(unsaved.waiting).toBeUndefined()
  })

  it('makes a navigation wait until the user agrees', () => {
    const unsaved = createUnsaved()
    const [leave, notified] = [vi.fn(), vi.fn()]
    unsaved.subscribe(notified)
    unsaved.hold()
    unsaved.ask(leave)
    expect(leave).not.toHaveBeenCalled()
    expect(notified).toHaveBeenCalledOnce()
    unsaved.answer(true)
    expect(leave).toHaveBeenCalledOnce()
    expect(unsaved.waiting).toBeUndefined()
  })

  it('drops a navigation that the user refuses', () => {
    const unsaved = createUnsaved()
    const leave = vi.fn()
    unsaved.hold()
    unsaved.ask(leave)
    unsaved.answer(false)
    expect(leave).not.toHaveBeenCalled()
    expect(unsaved.isHeld).toBe(true)
  })

  it('remains until the last form is saved; then the waiting navigation is dropped', () => {
    const unsaved = createUnsaved()
    const [first, second] = [unsaved.hold(), unsaved.hold()]
    first()
    expect(unsaved.isHeld).toBe(true)
    unsaved.ask(vi.fn())
    second()
    expect(unsaved.isHeld).toBe(false)
    expect(unsaved.waiting).toBeUndefined()
  })
})
