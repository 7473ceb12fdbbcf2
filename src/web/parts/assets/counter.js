// The counter strip: asks for the latest payments, plays a sound when one has ended, and says when it is out of date.
;(() => {
  const QUICK_MS = 2000
  const SLOWEST_MS = 30000
  const STALE_AFTER_MS = 10000

  const counter = document.querySelector('[data-counter]')
  if (!counter) return
  const words = counter.dataset
  const news = document.createElement('p')
  news.className = 'news'
  news.setAttribute('role', 'status')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button plain'
  button.textContent = words.sound
  counter.before(button, news)

  button.addEventListener('click', () => {
    window.sounds.open()
    window.sounds.play(true)
    button.textContent = words.soundOn
    button.setAttribute('aria-pressed', 'true')
  })

  const statesIn = (strip) =>
    new Map(
      [...strip.querySelectorAll('[data-payment]')].map((one) => [one.dataset.payment, one.dataset.state]),
    )
  const ended = (state) => state === 'succeeded' || state === 'failed'
  let known = statesIn(counter)
  let seen = null
  let waitMs = QUICK_MS
  let heardAt = Date.now()
  let next = null

  const tell = () => {
    const isStale = !navigator.onLine || Date.now() - heardAt > STALE_AFTER_MS
    counter.classList.toggle('stale', isStale)
    const clock = new Date(heardAt).toLocaleTimeString('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Africa/Kampala',
    })
    const says = isStale ? `${words.stale} ${clock}. ${words.staleSays}` : words.liveWord
    if (news.textContent !== says) news.textContent = says
  }

  const show = (text) => {
    const strip = new DOMParser().parseFromString(text, 'text/html').querySelector('.strip')
    if (!strip) return
    const states = statesIn(strip)
    const fresh = [...states].filter(([id, state]) => ended(state) && !ended(known.get(id)))
    known = states
    counter.replaceChildren(document.adoptNode(strip))
    if (fresh.length > 0) window.sounds.play(fresh.some(([, state]) => state === 'succeeded'))
  }

  const look = async () => {
    try {
      const answer = await fetch(words.counter, {
        headers: seen ? { 'If-None-Match': seen } : {},
        signal: AbortSignal.timeout(8000),
      })
      if (answer.redirected) return location.reload()
      if (answer.status === 200) {
        seen = answer.headers.get('ETag')
        show(await answer.text())
      }
      if (answer.status === 200 || answer.status === 304) {
        heardAt = Date.now()
        waitMs = QUICK_MS
      } else waitMs = Math.min(waitMs * 2, SLOWEST_MS)
    } catch {
      // A bad network: asked again, less often, until it is back.
      waitMs = Math.min(waitMs * 2, SLOWEST_MS)
    }
    tell()
    next = setTimeout(look, waitMs)
  }
  // The screen of a till stays on while the counter is seen.
  const stayAwake = () => {
    if (!document.hidden) navigator.wakeLock?.request('screen').catch(() => {})
  }
  stayAwake()
  document.addEventListener('visibilitychange', stayAwake)
  tell()
  setInterval(tell, 1000)
  window.addEventListener('offline', tell)
  window.addEventListener('online', () => {
    clearTimeout(next)
    look()
  })
  next = setTimeout(look, QUICK_MS)
})()
