# The package without a compiler, Python or a manual reader beside it.
set -ex
cd /user
find / -xdev -path /proc -prune -o -print | sort >/before
dpkg -i weir.deb
weir --version
weir compile classes.onnx -o classes.so
rm classes.so
dpkg --purge weir
find / -xdev -path /proc -prune -o -print | sort >/after
diff /before /after | grep -v '/after$\|/var/\|^[0-9]' || echo purged
