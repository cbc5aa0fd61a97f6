import { describe, expect, it } from 'vitest'
import { createFairQueue, type FairQueue } from './fair-queue.ts'

interface Item {
  name: string
}

const add = (queue: FairQueue<Item>, key: string, name: string) => {
  const item = { name }
  return { item, isAdded: queue.add(key, item) }
}
function takeAll(queue: FairQueue<Item>): string[] {
  const names: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) names.push(item.name)
  return names
}

describe('the fair queue', () => {
  it('lets keys take turns, and keeps the order of the items of a key', () => {
    const queue = createFairQueue<Item>()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) add(queue, name[0]!, name)
    expect([...queue.keys()]).toEqual(['a', 'b', 'c'])
    expect([queue.size, queue.countOf('a'), queue.countOf('x')]).toEqual([7, 4, 0])
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
    expect([queue.size, [...queue.keys()]]).toEqual([0, []])
  })

  it('lets a key that is added again wait for one turn of each other key', () => {
    const queue = createFairQueue<Item>()
    for (const name of ['a1', 'b1', 'b2']) add(queue, name[0]!, name)
    expect(queue.take()?.name).toBe('a1')
    add(queue, 'a', 'a2')
    expect(takeAll(queue)).toEqual(['b1', 'a2', 'b2'])
  })

  it('takes the first item of a given key, and puts the key behind all others', () => {
    const queue = createFairQueue<Item>()
    for (const name of ['a1', 'b1', 'b2', 'c1']) add(queue, name[0]!, name)
    expect(queue.first('b')?.name).toBe('b1')
    expect(queue.take('b')?.name).toBe('b1')
    expect(queue.take('x')).toBeUndefined()
    expect(takeAll(queue)).toEqual(['a1', 'c1', 'b2'])
  })

  it('lets a loop over its keys take items until none is left', () => {
    const queue = createFairQueue<Item>()
    for (const name of ['a1', 'a2', 'b1']) add(queue, name[0]!, name)
    const names: string[] = []
    for (const key of queue.keys()) names.push(queue.take(key)!.name)
    expect(names).toEqual(['a1', 'b1', 'a2'])
  })

  it('forgets an item that is removed, and a key without items', () => {
    const queue = createFairQueue<Item>()
    const { item } = add(queue, 'a', 'a1')
    add(queue, 'b', 'b1')
    expect([queue.remove('b', item), queue.remove('a', item), queue.remove('a', item)]).toEqual([false, true, false])
    expect([queue.size, [...queue.keys()]]).toEqual([1, ['b']])
  })

  it('when it is full, evicts the last item of the key with the most items, or refuses the new item', () => {
    const evicted: string[] = []
    const queue = createFairQueue<Item>({ max: 4, onEvict: ({ name }) => void evicted.push(name) })
    for (const name of ['a1', 'a2', 'a3', 'b1']) expect(add(queue, name[0]!, name).isAdded).toBe(true)
    expect(add(queue, 'a', 'a4').isAdded).toBe(false)
    expect(add(queue, 'c', 'c1').isAdded).toBe(true)
    expect(evicted).toEqual(['a3'])
    // A new item evicts nothing if its key would then have as many items as the key with the most items.
    expect(add(queue, 'b', 'b2').isAdded).toBe(false)
    expect(queue.size).toBe(4)
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2'])
  })
})
