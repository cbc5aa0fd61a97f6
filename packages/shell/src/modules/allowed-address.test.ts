import { describe, expect, it } from 'vitest'
import { isLoopbackPage, loopbackAddress } from './allowed-address.ts'

describe('the URL of a remote entry', () => {
  it('[SHL-06] [SHL-08] is accepted with http on localhost and 127.0.0.1, at any port', () => {
    for (const good of [
      'http://localhost:6001/assets/remoteEntry.js',
      'http://127.0.0.1:5173/remoteEntry.js',
      'http://LOCALHOST/remoteEntry.js',
    ]) {
      expect(loopbackAddress(good)?.href).toBe(new URL(good).href)
    }
  })

  it('[SHL-06] [SHL-08] is refused with any other host or scheme, or with a password', () => {
    for (const bad of [
      'https://localhost:6001/assets/remoteEntry.js',
      'http://192.168.1.20:6001/assets/remoteEntry.js',
      'http://localhost.example.com/remoteEntry.js',
      'http://localhost@example.com/remoteEntry.js',
      'http://user:secret@localhost:6001/remoteEntry.js',
      'http://localhost.:6001/remoteEntry.js',
      'http://sub.localhost:6001/remoteEntry.js',
      'http://[::1]:6001/remoteEntry.js',
      'http://0.0.0.0:6001/remoteEntry.js',
      'http://127.0.0.2:6001/remoteEntry.js',
      'https://abc.ngrok.io/remoteEntry.js',
      '//localhost:6001/remoteEntry.js',
      '/assets/remoteEntry.js',
      'javascript:alert(1)//localhost',
      'data:text/javascript,1',
      'localhost:6001/remoteEntry.js',
      '',
    ]) {
      expect(loopbackAddress(bad), bad).toBeUndefined()
    }
  })

  it('needs no permission of the browser if the page itself is on loopback', () => {
    expect(['localhost', '127.0.0.1', 'tower-ab12c.localhost'].map(isLoopbackPage)).toEqual([true, true, true])
    expect(['tower.example.com', 'localhost.example.com'].map(isLoopbackPage)).toEqual([false, false])
  })
})
