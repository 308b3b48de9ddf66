import { defineConfig } from 'vite';

/** Files are named after their content; index.html names them, and the server fills in its nonce. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2024',
    // With light-dark(). What stands in for it follows the system, not somebody's own choice.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy allows no data: for fonts, and a small file more costs nothing.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'console.html'].map((page) => `${import.meta.dirname}/${page}`),
      output: {
        codeSplitting: {
          groups: [
            // Packages change less often than we do, and a file for each module would be forty requests.
            { name: 'packages', test: /node_modules\/(?!uplot)/ },
            { name: 'shared', test: /src\/(api|words|look|shell\/(?!shortcuts))|server\/src/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
