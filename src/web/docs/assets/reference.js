// Draws the reference from /openapi.json. Without `servers` "try it" talks to the address of this page.
const HEADERS_FILLED_IN = ['x-timestamp', 'idempotency-key']
const FILLED_IN = ' Left empty here, this page fills it in.'

/** The page itself fills these headers in, so a form without them may be sent. */
function relaxHeaders(document) {
  for (const parameter of Object.values(document.components.parameters))
    if (HEADERS_FILLED_IN.includes(parameter.name.toLowerCase())) {
      parameter.description = `${parameter.required ? '**Required.** ' : ''}${parameter.description}${FILLED_IN}`
      parameter.required = false
    }
  return document
}

function fillHeaders(request) {
  if ((request.method ?? 'GET').toUpperCase() !== 'POST') return request
  const given = Object.entries(request.headers)
  const key = given.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]
  request.headers = Object.fromEntries(
    given.filter(([name]) => !HEADERS_FILLED_IN.includes(name.toLowerCase())),
  )
  request.headers['X-Timestamp'] = String(Math.floor(Date.now() / 1000))
  request.headers['Idempotency-Key'] = key || randomKey()
  return request
}

/** crypto.randomUUID exists on https and localhost only; a trial may run elsewhere. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function followColours() {
  const dark = window.matchMedia('(prefers-color-scheme: dark)')
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', apply)
  apply()
}

async function draw() {
  const answer = await fetch('/openapi.json')
  const { servers: _, ...spec } = relaxHeaders(await answer.json())
  window.SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    // No third party is asked whether the document is right.
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    requestInterceptor: fillHeaders,
  })
}

followColours()
draw()
