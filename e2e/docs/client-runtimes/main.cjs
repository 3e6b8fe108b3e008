const { callAll } = require('./bundles/call-all.cjs');

callAll(process.env).then((result) => console.log(JSON.stringify(result)));
