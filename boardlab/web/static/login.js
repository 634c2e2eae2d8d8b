// Sends the password as JSON, so that a form of another site cannot.

const form = document.querySelector("form");
const problem = document.getElementById("problem");

form.addEventListener("submit", async event => {
  event.preventDefault();
  problem.hidden = true;
  let answer = null;
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ password: form.password.value }),
    });
    if (response.ok) { location.assign("/"); return; }
    answer = await response.json();
  } catch { /* said below */ }
  problem.textContent = answer?.error || "the server cannot be reached";
  problem.hidden = false;
  form.password.select();
});
