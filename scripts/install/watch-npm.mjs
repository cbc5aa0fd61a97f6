const REPORT_MS = 5_000
const SILENCE_MS = 8_000

/**
 * Reads the log lines of an npm that installs, at log level `http`, and reports progress. `probe` is called once when
 * nothing was downloaded for a while: it resolves with the reason why the registry cannot be reached, or undefined.
 */
export function watchNpm({ print, probe, isTerminal }) {
  const startedAt = performance.now()
  let lastDownloadAt = startedAt
  let downloaded = 0
  let isProbed = false
  let isUnreachableTold = false
  let rest = ''

  const progress = () => `Installing packages… ${seconds(startedAt)} s, ${downloaded} downloaded`
  const clearLine = () => isTerminal && print('\r\x1b[K')

  function reportUnreachable(reason) {
    if (isUnreachableTold) return
    isUnreachableTold = true
    clearLine()
    const hint = /CERT|SIGNATURE|ISSUER/.test(reason)
      ? ' Set NODE_EXTRA_CA_CERTS to the certificates of your network.'
      : ''
    print(`storey: the package registry cannot be reached: ${reason}.${hint} npm tries again; press Ctrl-C to stop.\n`)
  }

  function read(line) {
    if (/^npm http fetch GET 2\d\d /.test(line)) {
      downloaded++
      lastDownloadAt = performance.now()
    }
    const failure = /^npm http fetch GET (\S+) attempt \d+ failed with (\S+)/.exec(line)
    if (failure) reportUnreachable(`${hostOf(failure[1])} (${failure[2]})`)
    if (!/^npm (error|ERR!)/.test(line)) return
    clearLine()
    print(`${line}\n`)
  }

  const reporting = setInterval(
    () => print(isTerminal ? `\r\x1b[K${progress()}` : `${progress()}\n`),
    isTerminal ? 500 : REPORT_MS,
  )
  const probing = setInterval(() => {
    if (isProbed || performance.now() - lastDownloadAt < SILENCE_MS) return
    isProbed = true
    probe().then((reason) => reason !== undefined && reportUnreachable(reason))
  }, 500)

  return {
    take(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) read(line)
    },
    end() {
      clearInterval(reporting)
      clearInterval(probing)
      if (rest !== '') read(rest)
      clearLine()
    },
    summary: () => `Installed in ${seconds(startedAt)} s.`,
  }
}

/** The reason in the output of a failed `npm ping`; undefined if the registry responded. */
export function reasonOf(output) {
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1]
  if (code === undefined || /^E\d{3}$/.test(code)) return undefined
  return /reason: (.+)$/m.exec(output)?.[1].trim() ?? code
}

const seconds = (since) => Math.round((performance.now() - since) / 1000)

function hostOf(url) {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
