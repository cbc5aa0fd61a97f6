import { describe, expect, it } from 'vitest'
import { compile } from './compile.ts'

const page = {
  data: [
    { id: 'a', name: 'Lobby', area: 12.5, tags: ['x', 'y'], parent: { id: 'p' } },
    { id: 'b', name: 'Lab', area: 40, tags: [], parent: null },
  ],
  total: 2,
}
const query = (text: string, input: unknown = page) => compile(text)(input)

describe('a selection', () => {
  it('[CLI-42] reads paths, items and nested fields as jq does', () => {
    expect(query('.')).toEqual([page])
    expect(query('.total')).toEqual([2])
    expect(query('.data[].name')).toEqual(['Lobby', 'Lab'])
    expect(query('.data[0].id, .data[-1].id')).toEqual(['a', 'b'])
    expect(query('.data[].parent.id')).toEqual(['p', null])
    expect(query('.["total"]')).toEqual([2])
    expect(query('."total"')).toEqual([2])
    expect(query('.data[5], .nothing')).toEqual([null, null])
    expect(query('[.data[].tags[]]')).toEqual([['x', 'y']])
    expect(query('.data[] | .tags | .[0]')).toEqual(['x', null])
  })

  it('[CLI-42] filters, reshapes and counts', () => {
    expect(query('.data[] | select(.area > 20) | .id')).toEqual(['b'])
    expect(query('.data[] | select(.name == "Lab" or .area < 13) | .id')).toEqual(['a', 'b'])
    expect(query('.data[] | select(.parent != null and (.tags | length) == 2) | {id, size: .area}')).toEqual([
      { id: 'a', size: 12.5 },
    ])
    expect(query('.data | map(.area) | sort')).toEqual([[12.5, 40]])
    expect(query('.data | sort_by(.name) | first | .name')).toEqual(['Lab'])
    expect(query('map({n: .}) | sort_by(.n) | map(.n)', [10, 9, 2])).toEqual([[2, 9, 10]])
    expect(query('sort', [[2, 1], [10], [2]])).toEqual([[[2], [2, 1], [10]]])
    expect(query('.data[] | select(.name | test("^L.b")) | .id')).toEqual(['a', 'b'])
    expect(query('.data[] | select(.tags | contains("x")) | .id')).toEqual(['a'])
    expect(query('.data[] | select(.tags | contains(["y", "x"])) | .id')).toEqual(['a'])
    expect(query('contains(["bar"]), contains(["bar", "x"])', ['foobar'])).toEqual([true, false])
    expect(query('has("off"), has("none"), has("x")', { off: false, none: null })).toEqual([true, true, false])
    expect(query('has(0), has(1), has(-1)', [null])).toEqual([true, false, false])
    expect(query('.data[] | [.id, .area, .parent.id] | @tsv')).toEqual(['a\t12.5\tp', 'b\t40\t'])
    expect(query('.data | length')).toEqual([2])
    expect(query('keys')).toEqual([['data', 'total']])
    expect(query('.total[]?, 1')).toEqual([1])
    expect(query('.[].a?', [{ a: 1 }, 5, { a: 2 }])).toEqual([1, 2])
    expect(query('(.[].a)?', [5, { a: 2 }])).toEqual([])
    expect(query('.a?.b, .a?', { a: { b: 3 } })).toEqual([3, { b: 3 }])
    expect(query('[.data[].id] | join("-")')).toEqual(['a-b'])
    expect(query('.data[] | {id, tag: .tags[]}')).toEqual([
      { id: 'a', tag: 'x' },
      { id: 'a', tag: 'y' },
    ])
    expect(query('[]')).toEqual([[]])
    expect(query('.data[] | select(.parent | not) | .id')).toEqual(['b'])
    expect(query('"21.5" | tonumber')).toEqual([21.5])
  })

  it('[CLI-42] compares objects as jq does: by their sorted keys, then by their values', () => {
    const [a, b] = [
      { x: 1, y: [2] },
      { y: [2], x: 1 },
    ]
    expect(query('.[0] == .[1]', [a, b])).toEqual([true])
    expect(query('.[0] == .[1]', [{ x: 1 }, { x: 1, y: null }])).toEqual([false])
    expect(query('sort', [{ b: 1 }, { a: 10 }, { a: 9, b: 0 }, { a: 9 }])).toEqual([
      [{ a: 9 }, { a: 10 }, { a: 9, b: 0 }, { b: 1 }],
    ])
  })

  it('[CLI-42] reports what it does not support, and never reads prototypes', () => {
    const wrong: [string, RegExp][] = [
      ['.data[', /ends too early/],
      ['.data]', /"\]" is unexpected/],
      ['.a $x', /"\$x" is not supported/],
      ['reduce', /unknown function "reduce"/],
      ['constructor', /unknown function "constructor"/],
      ['.total[]', /cannot iterate over number/],
      ['.total.x', /cannot read "x" of number/],
      ['', /ends too early/],
      ['.data[] | test("x")', /a string is expected/],
      ['"x" | test("(")', /not a regular expression/],
    ]
    for (const [text, expected] of wrong) expect(() => query(text), text).toThrow(expected)
    expect(query('.__proto__, .constructor, .toString', {})).toEqual([null, null, null])
  })
})
