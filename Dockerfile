# The MCP server over HTTP, for a Neo4j beside it (see docker-compose.yml). It runs as a user of its own, and its root
# file system may be read-only.
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements/runtime.txt requirements/runtime.txt
RUN python -m venv /opt/wakegraph \
  && /opt/wakegraph/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY cypher cypher
COPY wakegraph wakegraph
RUN /opt/wakegraph/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent wakegraph
COPY --from=build /opt/wakegraph /opt/wakegraph
USER 10001
ENV PATH=/opt/wakegraph/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 WAKEGRAPH_HOME=/tmp/wakegraph
EXPOSE 8321
HEALTHCHECK --interval=10s --timeout=5s --retries=6 --start-period=20s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8321/ready', timeout=4)"]
ENTRYPOINT ["wakegraph"]
CMD ["serve", "--http", "--host", "0.0.0.0", "--port", "8321"]
