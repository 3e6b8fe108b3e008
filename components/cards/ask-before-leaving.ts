/** Has the browser ask before the page is left while `run` is under way: the next document could not show how it ended. */
export async function askBeforeLeaving<Result>(run: () => Promise<Result>): Promise<Result> {
  const ask = (event: BeforeUnloadEvent) => {
    event.preventDefault();
    // For Chrome before version 119.
    event.returnValue = true;
  };
  window.addEventListener('beforeunload', ask);
  try {
    return await run();
  } finally {
    window.removeEventListener('beforeunload', ask);
  }
}
