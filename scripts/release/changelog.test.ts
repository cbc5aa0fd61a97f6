import { describe, expect, it } from 'vitest'
import { unreleasedVersion, withRelease } from './changelog.ts'

describe('a release', () => {
  const released = '# Changes\n\nOne version.\n\n## 1.14.0, 2026-11-20\n\n- The first.\n'

  it('is added above the others and does not change them', () => {
    expect(withRelease(released, '1.15.0', '2026-12-01', ['One.', 'Two,\n   in two lines.'])).toBe(
      '# Changes\n\nOne version.\n\n## 1.15.0, 2026-12-01\n\n- One.\n- Two,\n  in two lines.\n\n## 1.14.0, 2026-11-20\n\n- The first.\n',
    )
    expect(unreleasedVersion(released)).toBeUndefined()
    expect(() => withRelease('# Changes\n', '1.15.0', '2026-12-01', [])).toThrow('no section')
  })

  it('replaces the unreleased section of its version, with the entries above the text', () => {
    const before = released.replace('2026-11-20', 'unreleased')
    expect(unreleasedVersion(before)).toBe('1.14.0')
    expect(withRelease(before, '1.14.0', '2026-11-20', [])).toBe(released)
    expect(withRelease(before, '1.14.0', '2026-11-20', ['It costs $& now.'])).toBe(
      released.replace('- The first.', () => '- It costs $& now.\n- The first.'),
    )
  })

  it('is refused if another version is unreleased', () => {
    const before = released.replace('2026-11-20', 'unreleased')
    expect(() => withRelease(before, '1.15.0', '2026-12-01', ['One.'])).toThrow('"1.14.0, unreleased"')
  })
})
