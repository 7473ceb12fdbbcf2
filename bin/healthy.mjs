#!/usr/bin/env node
// Asks the service on this machine whether it wants traffic; ends with 0 when it does. For the health check of a container.
import { request } from 'node:http'

const MAX_MS = 3000
// An address for all networks is none to ask at.
const { HOST = '127.0.0.1', PORT = '8080' } = process.env
const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST

function end(says, code) {
  console.log(says)
  process.exit(code)
}

request({ host, port: PORT, path: '/readyz', timeout: MAX_MS }, (response) => {
  let body = ''
  response.on('data', (part) => {
    body += part
  })
  response.on('end', () => end(body, response.statusCode === 200 ? 0 : 1))
})
  .on('timeout', () => end(`no answer within ${MAX_MS / 1000} s`, 1))
  .on('error', (error) => end(error.message, 1))
  .end()
