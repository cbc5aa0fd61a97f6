// Replaces curl on systems without it. Supports what the documents use: a URL, -H, -d, -X, --data-binary, @file and @-.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'

const [options, headers, data] = [{}, {}, []]
let url = ''
const words = process.argv.slice(2)
while (words.length > 0) {
  const word = words.shift()
  if (word === '-X') options.method = words.shift()
  else if (word === '-H') {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(words.shift())
    headers[name.toLowerCase()] = value
  } else if (word === '-d' || word === '--data-binary') data.push(contentOf(words.shift()))
  else if (word.startsWith('-')) fail(`curl.mjs does not know ${word}`)
  else url = word
}

function contentOf(text) {
  if (text === '@-') return readFileSync(0)
  return text.startsWith('@') ? readFileSync(text.slice(1)) : Buffer.from(text)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

if (data.length > 0) {
  options.method ??= 'POST'
  headers['content-type'] ??= 'application/x-www-form-urlencoded'
}
// Like curl, this program resolves every name below localhost to the loopback address.
const { hostname, port, pathname, search, host } = new URL(url)
const to = { host: hostname.endsWith('localhost') ? '127.0.0.1' : hostname, port, path: pathname + search }
const sent = request({ ...to, ...options, headers: { ...headers, host } }, (response) => response.pipe(process.stdout))
sent.on('error', (error) => fail(error.message))
sent.end(Buffer.concat(data))
