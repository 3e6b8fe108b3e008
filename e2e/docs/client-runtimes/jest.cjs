const { callAll } = require('./bundles/call-all.cjs');

test('calls all operations', async () => {
  process.stdout.write(JSON.stringify(await callAll(process.env)));
});
