// Polls the status of the payment, and reloads the page once it is decided. The service decides, never this script.
;(() => {
  const SOON = 2500
  const LATER = 5000
  const PATIENCE = 60000 // Polls less often from then on.
  const GIVE_UP = 10000 // The time limit of one poll; the next may succeed.
  const wait = document.getElementById('wait')
  const began = Date.now()
  let timer
  let polling = false

  const waitTime = () => (document.hidden || Date.now() - began > PATIENCE ? LATER : SOON)

  function schedule() {
    clearTimeout(timer)
    timer = setTimeout(poll, waitTime())
  }

  function poll() {
    if (polling) return
    polling = true
    Promise.race([fetch(wait.dataset.status, { cache: 'no-store' }), timeout()])
      .then((answer) => (answer.ok ? answer.json() : {}))
      .then(handleStatus)
      .catch(() => {})
      .then(() => {
        polling = false
        schedule()
      })
  }

  const timeout = () => new Promise((_, reject) => setTimeout(reject, GIVE_UP))

  function handleStatus({ status }) {
    if (!status || status === 'pending' || status === 'authorized') return
    location.replace(location.pathname + location.search)
  }

  // When the customer comes back from typing the PIN, the payment may be decided already.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) poll()
  })
  schedule()

  const count = document.getElementById('count')
  if (!count) return
  const line = count.querySelector('[data-seconds]')
  const bar = count.querySelector('progress')
  const ticking = setInterval(tick, 1000)

  // Counts by the clock and not by ticks, because a phone that sleeps runs no ticks.
  function tick() {
    const left = Number(line.dataset.seconds) - Math.round((Date.now() - began) / 1000)
    if (left <= 0) return showLongWait()
    bar.value = left
    line.textContent = line.dataset.text.replace('{seconds}', left)
  }

  function showLongWait() {
    clearInterval(ticking)
    count.hidden = true
    document.getElementById('steps').hidden = true
    const headline = document.getElementById('headline')
    headline.textContent = headline.dataset.later
    document.getElementById('long').hidden = false
  }
})()
