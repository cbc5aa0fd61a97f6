import { expect, it } from 'vitest'
import { withRelease } from './changelog.ts'

it('adds a release above the others and does not change them', () => {
  const before = '# Changes\n\nOne version.\n\n## 1.14.0, unreleased\n\n- The first.\n'
  expect(withRelease(before, '1.15.0', '2026-12-01', ['One.', 'Two,\n   in two lines.'])).toBe(
    '# Changes\n\nOne version.\n\n## 1.15.0, 2026-12-01\n\n- One.\n- Two,\n  in two lines.\n\n## 1.14.0, unreleased\n\n- The first.\n',
  )
  expect(() => withRelease('# Changes\n', '1.15.0', '2026-12-01', [])).toThrow('no section')
})
