// The page that stands in for one that could not be loaded: it loads the page as soon as the service can be reached.
;(() => {
  const AGAIN_MS = 5000
  const own = document.body.dataset.reach
  const look = async () => {
    try {
      await fetch(own, { cache: 'no-store' })
      location.reload()
    } catch {
      setTimeout(look, AGAIN_MS)
    }
  }
  document.querySelector('button').addEventListener('click', () => location.reload())
  addEventListener('online', () => location.reload())
  setTimeout(look, AGAIN_MS)
})()
